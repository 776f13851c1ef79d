#!/usr/bin/env python3
"""Rewrites the trace of an MTIA in the words for GPUs, which expect.py knows.

    mtia_words.py TRACE.json.gz OUT.json
"""
import gzip
import json
import sys

COPIES = {"DEVICE_TO_HOST": "Memcpy DtoH", "HOST_TO_DEVICE": "Memcpy HtoD",
          "DEVICE_TO_DEVICE": "Memcpy DtoD"}


def rewrite(event):
    category, name = event.get("cat"), event.get("name")
    if category == "mtia_runtime":
        event["cat"] = "cuda_runtime"
        event["args"].setdefault("correlation", -1)  # that of no device event
    if category != "mtia_ccp_events" or event["ph"] != "X":
        return
    if name == "dma_request":
        event["cat"] = "gpu_memcpy"
        event["name"] = COPIES.get(event["args"].get("direction"), name)
        event["args"]["bytes"] = event["args"]["size"]
    elif name in ("event_record", "event_wait"):
        event["cat"] = "gpu_user_annotation"  # no work
    else:
        event["cat"] = "kernel"


with gzip.open(sys.argv[1]) as file:
    trace = json.loads(file.read())
for each in trace["traceEvents"]:
    rewrite(each)
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(trace, file)
