// Zooming and panning of a span of iterations, and dragging its bounds. Pure.
#pragma once

#include "aggregate/selection.h"
#include "ui/chart/bars.h"

namespace dlview::ui {

// All of `count` iterations.
Span whole_span(int64_t count);

// Scales the span by `factor` (below 1 zooms in) around the iteration position `at`, which keeps
// its place on screen; never smaller than kSmallestSpan iterations nor beyond the run.
inline constexpr double kSmallestSpan = 4;
Span zoomed(Span span, double at, double factor, int64_t count);

// Moved by whole or part iterations, kept inside the run.
Span panned(Span span, double by, int64_t count);

// The range with one end moved to an iteration; it stops at the other end and at the run's.
aggregate::IterationRange with_first(aggregate::IterationRange range, int64_t first, int64_t count);
aggregate::IterationRange with_last(aggregate::IterationRange range, int64_t last, int64_t count);

// The same, but the other end gives way: for numbers that are typed.
aggregate::IterationRange from_first(aggregate::IterationRange range, int64_t first, int64_t count);
aggregate::IterationRange to_last(aggregate::IterationRange range, int64_t last, int64_t count);

// The range moved as a whole, its size kept.
aggregate::IterationRange shifted(aggregate::IterationRange range, int64_t by, int64_t count);

}  // namespace dlview::ui
