# Options of builds that are handed to others.

option(DLVIEW_PDF "Write tables as PDF; needs Pango" ON)
