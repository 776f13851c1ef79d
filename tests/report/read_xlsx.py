"""Prints every sheet of an XLSX file as CSV, read by openpyxl."""

import csv
import sys

import openpyxl

book = openpyxl.load_workbook(sys.argv[1])
writer = csv.writer(sys.stdout, lineterminator="\n")
for number, sheet in enumerate(book.worksheets, 1):
    print(f"[{number}]", flush=True)
    writer.writerows(sheet.iter_rows(values_only=True))
