"""Tools for assistants, served by `causewise mcp` over standard input and output (the Model Context Protocol).

folders        the files that may be read and written: named ones, inside allowed folders
tools          what each tool is for and takes
wording        what an assistant reads beside the numbers: the answer, the doubt, what it assumes
worker_tasks   the tasks of a worker process: from a question to words, JSON and a picture
server         the connection: calls at the same time, progress, cancellation, the end
"""
