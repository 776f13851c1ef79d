# Inter and JetBrains Mono from the distribution's font packages, embedded into the binary.
function(dlview_find_font variable)
  find_file(${variable} NAMES ${ARGN}
    PATHS /usr/share/fonts/opentype/inter /usr/share/fonts/truetype/inter
          /usr/share/fonts/truetype/jetbrains-mono /usr/share/fonts
    REQUIRED)
endfunction()
dlview_find_font(DLVIEW_FONT_REGULAR Inter-Regular.otf Inter-Regular.ttf)
dlview_find_font(DLVIEW_FONT_SEMIBOLD Inter-SemiBold.otf Inter-SemiBold.ttf)
dlview_find_font(DLVIEW_FONT_MONO JetBrainsMono-Regular.ttf)

dlview_embed(dlview_fonts dlview::fonts
  inter_regular=${DLVIEW_FONT_REGULAR}
  inter_semibold=${DLVIEW_FONT_SEMIBOLD}
  jetbrains_mono=${DLVIEW_FONT_MONO})
