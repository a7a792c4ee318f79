"""Reports: what a run did, or a plan would do, as one HTML page, and as a trace.

`run_data` and `plan_data` turn a recording or a plan into the data of the page, `page` puts data,
libraries and the page's own scripts into one file that needs no network.
"""
