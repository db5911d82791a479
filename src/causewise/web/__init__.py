"""The page served by `causewise serve`: a table in, answers with links out; private, bounded, nothing kept on disk.

limits         every bound, beside those of a job
schema         what may be asked and answered in JSON, for /openapi.json
bodies         request bodies, counted and timed while they arrive
teaching       lessons: a simulated pair, scored, and what is to be seen
worker_tasks   the tasks of a worker process: describe a table, score two columns, scan them all, find their graph
jobs           the job manager, its worker pools, and the LRU caches of tables and answers
routes         the paths
server         the application, whom it speaks to; sockets, slow clients, signals
"""
