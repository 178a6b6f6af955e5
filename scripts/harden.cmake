# What makes a mistake in memory end the program rather than serve an attacker: checked calls of the
# C library, a position of its own at every start, tables of the linker that nobody writes to,
# guarded stacks, and jumps that only land where they may. hardening_test looks for each in the
# installed program.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)

foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
        -mbranch-protection=standard)
  string(MAKE_C_IDENTIFIER "PRICER_HAS${flag}" has)
  check_c_compiler_flag(${flag} ${has})
  if(${has})
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:${flag}>"
        "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>")
  endif()
endforeach()

# The C library checks the sizes of what it is given, of those known at run time too where the
# compiler can tell (level 3). Only code that is optimised has the checks.
foreach(level 3 2)
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level}")
  check_c_source_compiles("#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }"
                          PRICER_HAS_FORTIFY_${level})
  if(PRICER_HAS_FORTIFY_${level})
    set(optimised "$<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:Release,RelWithDebInfo>>")
    add_compile_options("$<${optimised}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${level}>")
    break()
  endif()
endforeach()
unset(CMAKE_REQUIRED_FLAGS)

# (The linker itself marks a program for shadow stacks only where the start-up code of the C library
# is marked, too.)
set(link_flags -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack)
if(PRICER_HAS_fcf_protection_full)
  list(APPEND link_flags -Wl,-z,shstk) # a linker for another processor only warns
endif()
foreach(flag ${link_flags})
  string(MAKE_C_IDENTIFIER "PRICER_LINKS${flag}" has)
  check_linker_flag(C ${flag} ${has})
  if(${has})
    set(kinds "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
    if(NOT flag STREQUAL -pie)
      set(kinds "$<OR:${kinds},$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>>")
    endif()
    add_link_options("$<${kinds}:${flag}>")
  endif()
endforeach()
