// Lines of text on a page, through Pango and cairo. Lengths are in points.
#pragma once

#include <memory>
#include <pango/pangocairo.h>
#include <string>
#include <string_view>

namespace dlview::report {

enum class PdfAlign { left, right, center };

// The fonts of a document; one thread's. Pango's own default map would keep them until the thread
// ends.
class PdfFonts {
 public:
  explicit PdfFonts(cairo_t* page);
  PangoContext* context() const { return context_.get(); }

 private:
  struct Unref {
    void operator()(void* object) const { g_object_unref(object); }
  };
  std::unique_ptr<PangoFontMap, Unref> map_;
  std::unique_ptr<PangoContext, Unref> context_;
};

class PdfText {
 public:
  // `page` and `fonts` must outlive it.
  PdfText(cairo_t* page, const PdfFonts& fonts, double size, bool bold);

  // Returns the width of a single line.
  double width(std::string_view text);
  // Returns the height of a paragraph that is broken between words at `width`.
  double height(std::string_view text, double width);
  double line_height();

  // Draw with (x, y) at the top left of a box of this width. draw_line() shortens a text that does
  // not fit in the middle; draw_paragraph() breaks it.
  void draw_line(std::string_view text, double x, double y, double width, PdfAlign align);
  void draw_paragraph(std::string_view text, double x, double y, double width, PdfAlign align);

 private:
  struct Unref {
    void operator()(PangoLayout* layout) const { g_object_unref(layout); }
  };
  void set(std::string_view text, double width, bool is_single_line, PdfAlign align);

  cairo_t* page_;
  std::unique_ptr<PangoLayout, Unref> layout_;
  std::string clean_;
};

}  // namespace dlview::report
