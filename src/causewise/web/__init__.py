"""The page served by `causewise serve`: a table in, answers with links out; private, bounded, nothing kept on disk.

limits      every bound, in one place
refusal     what is answered instead of an answer: a status and one sentence
guard       whom the server speaks to: hosts, origins, methods of asking; the headers of every answer
bodies      what is sent, counted and timed while it comes
uploads     a form or JSON -> bytes and settings, never on disk
shelf       tables and answers that are kept, bounded in number and bytes
job_pool    worker processes with a time and a memory limit, and a bounded queue
work        what is done there: look at a table, judge two columns, judge them all
overview    a table as it was understood, column by column
reports     answers as pages
desk        jobs that are asked about by their link, and given up when nobody asks
examples    tables to try
teaching, teaching_words     a pair drawn as somebody wishes, judged, and what is to be seen
questions   what may be asked, checked in one place
schema      what the JSON says, for /openapi.json
api, pages  what is answered where
application all of it put together
server      sockets, slow clients, signals
"""
