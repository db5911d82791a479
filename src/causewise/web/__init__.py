"""The page served by `causewise serve`: a table in, answers with links out; private, bounded, nothing kept on disk.

limits         every bound, in one place
request_error  a status and one sentence
schema         what may be asked and answered in JSON, for /openapi.json
bodies         request bodies, counted and timed while they arrive
overview       a table as it was understood, column by column
teaching       lessons: a simulated pair, scored, and what is to be seen
worker_tasks   the tasks of a worker process
jobs           the job manager, its worker pools, and the LRU caches of tables and answers
routes         the paths
application    all of it put together, and whom it speaks to
job_pool       tasks and their queue, on worker processes
server         sockets, slow clients, signals
"""
