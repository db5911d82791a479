# The public names, each with its module: the only list of them. `__init__.py` imports a name from here when it is first
# asked for; editors and type checkers read it as a stub.
from causewise.catalogue import list_methods as list_methods
from causewise.catalogue import method as method
from causewise.criteria import ModelCheck as ModelCheck
from causewise.decision import Decision as Decision
from causewise.decision import Direction as Direction
from causewise.decision import Evidence as Evidence
from causewise.errors import InputError as InputError
from causewise.graphs.agreement import GraphAgreement as GraphAgreement
from causewise.graphs.causal_graph import CausalGraph as CausalGraph
from causewise.graphs.comparison import GraphComparison as GraphComparison
from causewise.graphs.effect import Effect as Effect
from causewise.graphs.effect import EffectRefusal as EffectRefusal
from causewise.graphs.finder import graph as graph
from causewise.inference import Stability as Stability
from causewise.inference import infer as infer
from causewise.integrations.orientation import orient as orient
from causewise.models.estimator import LocationScaleRegressor as LocationScaleRegressor
from causewise.models.network.regressor import LocationScaleNetwork as LocationScaleNetwork
from causewise.pair import Pair as Pair
from causewise.parallel import Engine as Engine
from causewise.protocol import Method as Method
from causewise.scanning.graph_reading import read_graph as read_graph
from causewise.scanning.scanner import scan as scan
