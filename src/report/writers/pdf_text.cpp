#include "report/writers/pdf_text.h"

#include "report/writers/utf8.h"

namespace dlview::report {
namespace {

constexpr const char* kFamily = "Inter, Noto Sans, DejaVu Sans, sans-serif";
// Digits equally wide, and every character as it is: Inter would make 32×5 of 32x5.
constexpr const char* kFeatures = "tnum=1, calt=0, liga=0";
constexpr int kAnyWidth = -1;

PangoAlignment pango_align(PdfAlign align) {
  switch (align) {
    case PdfAlign::left:
      return PANGO_ALIGN_LEFT;
    case PdfAlign::right:
      return PANGO_ALIGN_RIGHT;
    case PdfAlign::center:
      return PANGO_ALIGN_CENTER;
  }
  return PANGO_ALIGN_LEFT;
}

}  // namespace

PdfFonts::PdfFonts(cairo_t* page)
    : map_(pango_cairo_font_map_new()), context_(pango_font_map_create_context(map_.get())) {
  pango_cairo_update_context(page, context_.get());
}

PdfText::PdfText(cairo_t* page, const PdfFonts& fonts, double size, bool bold)
    : page_(page), layout_(pango_layout_new(fonts.context())) {
  PangoFontDescription* font = pango_font_description_new();
  pango_font_description_set_family_static(font, kFamily);
  pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
  if (bold) pango_font_description_set_weight(font, PANGO_WEIGHT_SEMIBOLD);
  pango_layout_set_font_description(layout_.get(), font);
  pango_font_description_free(font);
  PangoAttrList* features = pango_attr_list_new();
  pango_attr_list_insert(features, pango_attr_font_features_new(kFeatures));
  pango_layout_set_attributes(layout_.get(), features);
  pango_attr_list_unref(features);
  pango_layout_set_auto_dir(layout_.get(), FALSE);
}

void PdfText::set(std::string_view text, double width, bool is_single_line, PdfAlign align) {
  clean_.clear();
  append_clean_text(clean_, text);
  PangoLayout* layout = layout_.get();
  pango_layout_set_single_paragraph_mode(layout, is_single_line ? TRUE : FALSE);
  pango_layout_set_ellipsize(layout,
                             is_single_line ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_NONE);
  pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_width(layout, width < 0 ? kAnyWidth : static_cast<int>(width * PANGO_SCALE));
  pango_layout_set_alignment(layout, pango_align(align));
  pango_layout_set_text(layout, clean_.data(), static_cast<int>(clean_.size()));
}

double PdfText::width(std::string_view text) {
  set(text, kAnyWidth, true, PdfAlign::left);
  int width = 0, height = 0;
  pango_layout_get_size(layout_.get(), &width, &height);
  return static_cast<double>(width) / PANGO_SCALE;
}

double PdfText::height(std::string_view text, double width) {
  set(text, width, false, PdfAlign::left);
  int ignored = 0, height = 0;
  pango_layout_get_size(layout_.get(), &ignored, &height);
  return static_cast<double>(height) / PANGO_SCALE;
}

double PdfText::line_height() {
  return height("Ag", kAnyWidth);
}

void PdfText::draw_line(std::string_view text, double x, double y, double width, PdfAlign align) {
  set(text, width, true, align);
  cairo_move_to(page_, x, y);
  pango_cairo_show_layout(page_, layout_.get());
}

void PdfText::draw_paragraph(std::string_view text, double x, double y, double width,
                             PdfAlign align) {
  set(text, width, false, align);
  cairo_move_to(page_, x, y);
  pango_cairo_show_layout(page_, layout_.get());
}

}  // namespace dlview::report
