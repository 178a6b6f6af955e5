# What `cmake --install` installs, and the Debian packages that cpack makes of the same tree: one
# for each component. scripts/package builds them.
find_program(PRICER_GZIP gzip REQUIRED)

# pricer_compressed(FILE FOLDER COMPONENT): installs FILE.gz, as man pages and changelogs are kept.
function(pricer_compressed file folder component)
  get_filename_component(name ${file} NAME)
  set(made ${CMAKE_BINARY_DIR}/package/${component}/${name}.gz)
  get_filename_component(made_in ${made} DIRECTORY)
  file(MAKE_DIRECTORY ${made_in})
  add_custom_command(OUTPUT ${made} COMMAND ${PRICER_GZIP} -9nc ${file} > ${made} DEPENDS ${file} VERBATIM)
  set_property(GLOBAL APPEND PROPERTY pricer_made ${made})
  install(FILES ${made} DESTINATION ${folder} COMPONENT ${component})
endfunction()

# pricer_link(NAME TARGET FOLDER COMPONENT): installs a link of that name.
function(pricer_link name target folder component)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/package/${component}/links)
  file(CREATE_LINK ${target} ${CMAKE_BINARY_DIR}/package/${component}/links/${name} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/package/${component}/links/${name} DESTINATION ${folder}
          COMPONENT ${component})
endfunction()

# ---- pricer: the program, its pages and books

install(TARGETS pricer COMPONENT program)
install(DIRECTORY inputs DESTINATION ${CMAKE_INSTALL_DATADIR}/pricer COMPONENT program)
install(DIRECTORY models/payoffs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/pricer/payoffs COMPONENT program
        FILES_MATCHING PATTERN "*.pay")
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program PATTERN "*.1" EXCLUDE)
file(RELATIVE_PATH books /${CMAKE_INSTALL_DOCDIR} /${CMAKE_INSTALL_DATADIR}/pricer/inputs)
pricer_link(examples ${books} ${CMAKE_INSTALL_DOCDIR} program)
set(scripts nightly make-book make-desk make-history make-returns from-ore)
list(TRANSFORM scripts PREPEND scripts/)
install(PROGRAMS ${scripts} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/pricer COMPONENT program)
install(DIRECTORY scripts/ore DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/pricer COMPONENT program
        FILES_MATCHING PATTERN "*.py")
configure_file(scripts/systemd/pricer-night@.service.in package/pricer-night@.service @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/pricer-night@.service scripts/systemd/pricer-night@.timer
        DESTINATION lib/systemd/system COMPONENT program)

# Man pages are made of what they describe. That of pricer, and completions, are of what the program
# says of its options, where it runs on this machine.
function(pricer_man page section)
  set(made ${CMAKE_BINARY_DIR}/package/man/${page})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/package/man)
  add_custom_command(OUTPUT ${made} COMMAND ${CMAKE_SOURCE_DIR}/scripts/man ${page} ${ARGN} > ${made}
    DEPENDS scripts/man scripts/nightly docs/book-format.md inputs/first.cfg VERBATIM)
  pricer_compressed(${made} ${CMAKE_INSTALL_MANDIR}/man${section} program)
endfunction()
pricer_man(nightly.1 1)
pricer_man(pricer-book.5 5)
if(NOT CMAKE_CROSSCOMPILING)
  pricer_man(pricer.1 1 $<TARGET_FILE:pricer>)
  foreach(row "bash bash-completion/completions/pricer" "zsh zsh/vendor-completions/_pricer"
          "fish fish/vendor_completions.d/pricer.fish")
    separate_arguments(row)
    list(POP_FRONT row shell file)
    get_filename_component(folder ${file} DIRECTORY)
    set(made ${CMAKE_BINARY_DIR}/package/completions/${file})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/package/completions/${folder})
    add_custom_command(OUTPUT ${made}
      COMMAND ${CMAKE_SOURCE_DIR}/scripts/completions ${shell} $<TARGET_FILE:pricer> > ${made}
      DEPENDS pricer scripts/completions VERBATIM)
    set_property(GLOBAL APPEND PROPERTY pricer_made ${made})
    install(FILES ${made} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT program)
  endforeach()
endif()

# ---- libpricer0 and libpricer-dev: the library, and what a program needs that is built upon it

file(RELATIVE_PATH PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(app/api/pricer.pc.in pricer.pc @ONLY)
set_target_properties(libpricer PROPERTIES EXPORT_NAME pricer)
install(TARGETS libpricer EXPORT pricer
        LIBRARY COMPONENT library NAMELINK_COMPONENT development)
# The first version of the library that has each function, which pricer.map tells by its node.
find_program(PRICER_GENSYMBOLS dpkg-gensymbols)
set(symbols ${CMAKE_BINARY_DIR}/package/library/symbols)
if(PRICER_GENSYMBOLS)
  # Some versions of dpkg ask for a source package's control file.
  file(WRITE ${CMAKE_BINARY_DIR}/package/library/debian/control
    "Source: pricer\nMaintainer: pricer <pricer@localhost>\n\nPackage: libpricer0\nArchitecture: any\n")
  add_custom_command(OUTPUT ${symbols}
    COMMAND ${PRICER_GENSYMBOLS} -q -c4 -plibpricer0 -v${PROJECT_VERSION} -e$<TARGET_FILE:libpricer>
            -I${CMAKE_SOURCE_DIR}/scripts/debian/library/symbols -O${symbols}
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/package/library
    DEPENDS libpricer scripts/debian/library/symbols VERBATIM)
  set_property(GLOBAL APPEND PROPERTY pricer_made ${symbols})
endif()
install(FILES app/api/pricer.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${CMAKE_BINARY_DIR}/pricer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
target_include_directories(libpricer INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(EXPORT pricer NAMESPACE pricer:: FILE pricer-config.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pricer COMPONENT development)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/pricer-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/pricer-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pricer COMPONENT development)

# ---- python3-pricer

set(PRICER_PYTHON_DIR lib/python3/dist-packages CACHE STRING
    "Where the Python package is installed, below the prefix")
install(DIRECTORY app/python/pricer DESTINATION ${PRICER_PYTHON_DIR} COMPONENT python
        PATTERN __pycache__ EXCLUDE)

# ---- pricer-mpi

if(TARGET pricer-mpi)
  install(TARGETS pricer-mpi COMPONENT mpi)
  pricer_compressed(${CMAKE_SOURCE_DIR}/docs/pricer-mpi.1 ${CMAKE_INSTALL_MANDIR}/man1 mpi)
  pricer_link(pricer-mpi pricer ${CMAKE_INSTALL_DATADIR}/bash-completion/completions mpi)
  pricer_link(pricer-mpi.fish pricer.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d mpi)
  set(mpi mpi)
endif()

# ---- what every package says of itself: whose it is, and since when

set(package_of_program pricer)
set(package_of_library libpricer0)
set(package_of_development libpricer-dev)
set(package_of_python python3-pricer)
set(package_of_mpi pricer-mpi)
set(CPACK_COMPONENTS_ALL program library development python ${mpi})

set(PRICER_MAINTAINER "the pricer authors <pricer@example.org>" CACHE STRING "Who answers for the packages")
string(TIMESTAMP release_date "%a, %d %b %Y %H:%M:%S +0000" UTC) # that of SOURCE_DATE_EPOCH, where it is set
configure_file(scripts/debian/changelog.in package/changelog.Debian @ONLY)
foreach(component ${CPACK_COMPONENTS_ALL})
  set(folder ${CMAKE_INSTALL_DATADIR}/doc/${package_of_${component}})
  install(FILES scripts/debian/copyright DESTINATION ${folder} COMPONENT ${component})
  pricer_compressed(${CMAKE_BINARY_DIR}/package/changelog.Debian ${folder} ${component})
endforeach()
get_property(made GLOBAL PROPERTY pricer_made)
add_custom_target(package_files ALL DEPENDS ${made})

# ---- the packages

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pricer)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_CONTACT ${PRICER_MAINTAINER})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SOURCE pricer)

# describe(COMPONENT SECTION DEPENDS LINE): the control file of a package; its text is LINE, and what
# follows of the arguments below it.
function(describe component section depends line)
  string(TOUPPER ${component} c)
  list(JOIN ARGN "\n" more)
  set(CPACK_DEBIAN_${c}_PACKAGE_NAME ${package_of_${component}} PARENT_SCOPE)
  set(CPACK_DEBIAN_${c}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${c}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${c}_DESCRIPTION "${line}\n${more}" PARENT_SCOPE)
endfunction()

set(this_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
describe(program math "" "Monte Carlo pricing of equity and FX derivatives"
  "Prices a book of equity and FX derivatives by Monte Carlo, holds every price"
  "against an independent reference and prints both with their error. The same"
  "book and seed give the same prices to the last bit on every machine."
  "."
  "Greeks, scenarios, value at risk, a report in one page, a results database, and"
  "a timer for a book every night.")
describe(library libs "" "Monte Carlo pricing of equity and FX derivatives - library"
  "The pricing of the command pricer for other programs: books, plans, prices,"
  "Greeks, scenarios and value at risk, with the same bits.")
describe(development libdevel "libpricer0 ${this_version}"
  "Monte Carlo pricing of equity and FX derivatives - development"
  "The header of libpricer, and what pkg-config and CMake need to find it.")
describe(python python "libpricer0 ${this_version}, python3:any"
  "Monte Carlo pricing of equity and FX derivatives - Python"
  "Prices books from Python: markets and trades, prices, Greeks, scenarios and"
  "value at risk as columns, in the process that asks.")
describe(mpi math "pricer ${this_version}" "Monte Carlo pricing of equity and FX derivatives - MPI"
  "The command pricer for many processes and machines, by mpirun or Slurm, with"
  "the bits and the files of one process.")
# cpack writes scripts that call ldconfig unless it is given others; a trigger is enough, and of files
# that are not there it adds none.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/scripts/debian/library/triggers
    ${symbols}
    ${CMAKE_BINARY_DIR}/package/none/postinst ${CMAKE_BINARY_DIR}/package/none/postrm)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS python3:any) # scripts/from-ore
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS openmpi-bin)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "pricer ${this_version}") # which writes reports
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-numpy, python3-pandas")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/scripts/debian/python/postinst
    ${CMAKE_SOURCE_DIR}/scripts/debian/python/prerm)
include(CPack)
