"""What clients may ask of a server, and the processes that answer them; the page and the tools for assistants use it.

limits      the bounds of a job, and the error of a request: a status and one sentence
questions   the questions of clients, checked in one place
answering   in a worker process: from a question and an open table to a decision, a scan or a graph
job_pool    tasks and their queue, on worker processes bounded in time and memory
"""
