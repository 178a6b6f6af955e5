# Writes OUTPUT, a C file that holds FILES, one after the other, as `const struct embedded NAME`.
#   cmake -DNAME=report_style -DFILES=style.css -DOUTPUT=style.c -P embed.cmake

# A hash in base64, from 64 hexadecimal digits: three of them are two characters.
function(base64_of hex result)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(text)
  foreach(at RANGE 0 60 3)
    string(SUBSTRING ${hex} ${at} 3 digits)
    math(EXPR first "0x${digits} >> 6")
    math(EXPR second "0x${digits} & 63")
    string(SUBSTRING ${alphabet} ${first} 1 a)
    string(SUBSTRING ${alphabet} ${second} 1 b)
    string(APPEND text ${a}${b})
  endforeach()
  string(SUBSTRING ${hex} 63 1 digit) # the last one, and two bits of nothing
  math(EXPR last "0x${digit} << 2")
  string(SUBSTRING ${alphabet} ${last} 1 a)
  set(${result} "${text}${a}=" PARENT_SCOPE)
endfunction()

separate_arguments(FILES)
set(joined ${OUTPUT}.joined)
file(WRITE ${joined} "")
foreach(file ${FILES})
  file(READ ${file} text)
  # What would end the element of HTML that holds it, and what a browser reads otherwise than it
  # hashes.
  string(TOLOWER "${text}" lower)
  foreach(end "</script" "</style" "<!--" "\r")
    string(FIND "${lower}" "${end}" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${file} holds '${end}' and cannot stand in a page")
    endif()
  endforeach()
  file(APPEND ${joined} "${text}\n")
endforeach()

file(SHA256 ${joined} hash)
file(READ ${joined} hex HEX)
file(REMOVE ${joined})
base64_of(${hash} base64)
string(LENGTH "${hex}" length)
math(EXPR length "${length} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}00")
file(WRITE ${OUTPUT} "#include \"app/report/html.h\"\n\n\
static const unsigned char bytes[] = {${bytes}};\n\n\
const struct embedded ${NAME} = {bytes, ${length}, \"${base64}\"};\n")
