# Writes OUTPUT, a C file with the texts of the scripts FILES, sorted by name, as the library
# (models/scripts/library.h). NAME.pay states the product NAME.
#   cmake "-DFILES=models/payoffs/tarf.pay ..." -DOUTPUT=library_texts.c -P embed_library.cmake
separate_arguments(FILES)
set(arrays)
set(rows)
set(number 0)
foreach(file ${FILES})
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}00")
  get_filename_component(name ${file} NAME_WE)
  string(APPEND arrays "static const char text_${number}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${name}\", text_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"models/scripts/library.h\"\n\n${arrays}\n\
const struct embedded_script library_scripts[] = {\n${rows}};\n\
const int n_library_scripts = ${number};\n")
