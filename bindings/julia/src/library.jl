# SPDX-License-Identifier: MIT
# The loaded library: where it is found, and its errors as exceptions.

const LIBRARY_PATH = Ref("")

# Files that may be the library, best first, and what was found out on the way.
function candidates(notes)
    path = get(ENV, "ATTOPOTTS_LIBRARY", "")
    isempty(path) || return [path]
    files = String[]
    tool = Sys.which("pkg-config")
    if tool === nothing
        push!(notes, "there is no pkg-config")
    else
        output = IOBuffer()
        done = run(pipeline(ignorestatus(`$tool --variable=libdir attopotts`), stdout = output, stderr = devnull))
        folder = strip(String(take!(output)))
        if success(done) && !isempty(folder)
            append!(files, joinpath.(folder, ["libattopotts.so.$ABI_VERSION", "libattopotts.$(Libdl.dlext)"]))
        else
            push!(notes, "pkg-config knows no attopotts")
        end
    end
    return push!(files, "libattopotts.so.$ABI_VERSION", "libattopotts")
end

# The library that a wheel of Python brings; Python is asked where everything else failed.
function files_of_wheel(notes)
    isempty(get(ENV, "ATTOPOTTS_LIBRARY", "")) || return String[]
    python = something(Sys.which("python3"), Sys.which("python"), Some(nothing))
    if python === nothing
        push!(notes, "there is no Python")
        return String[]
    end
    code = """
        import importlib.util
        found = importlib.util.find_spec("attopotts")
        print("\\n".join(found.submodule_search_locations or []) if found else "")"""
    output = IOBuffer()
    run(pipeline(ignorestatus(`$python -c $code`), stdout = output, stderr = devnull))
    folders = split(String(take!(output)), '\n'; keepempty = false)
    isempty(folders) && push!(notes, "$python knows no attopotts")
    return filter(isfile, joinpath.(folders, "lib", "libattopotts.so.$ABI_VERSION"))
end

# Another library of attopotts, beside the core or where the system looks; it finds the core that is loaded.
function load_beside(path, library)
    folder, name = splitdir(path)
    flags = Libdl.RTLD_NOW | Libdl.RTLD_LOCAL
    beside = joinpath(folder, replace(name, "attopotts" => library, count = 1))
    if beside != path
        loaded = Libdl.dlopen(beside, flags; throw_error = false)
        loaded === nothing || return loaded
    end
    return Libdl.dlopen("lib$library.so.$ABI_VERSION", flags)
end

# The library of MPI ranks, where it is asked for.
function load_mpi()
    try
        return load_beside(LIBRARY_PATH[], "attopotts_mpi")
    catch problem
        error("libattopotts_mpi was not found: build attopotts with MPI (meson configure -Dmpi=enabled). Tried: ",
            sprint(showerror, problem))
    end
end

# Called by __init__ alone: nothing of it enters the precompiled image.
function load_library()
    notes = String[]
    for find in (candidates, files_of_wheel), path in find(notes)
        library, io = try
            # Not RTLD_DEEPBIND, Julia's default: the C++ runtime must be one in the process.
            Libdl.dlopen(path, Libdl.RTLD_NOW | Libdl.RTLD_LOCAL), load_beside(path, "attopotts_io")
        catch problem
            push!(notes, sprint(showerror, problem))
            continue
        end
        try
            set_pointers(library, io)
        catch problem
            error("$path does not have every function that this package calls: it is older than the package. ",
                sprint(showerror, problem))
        end
        abi = atp_abi_version()
        abi == ABI_VERSION || error("$path has binary interface $abi, this package needs $ABI_VERSION")
        LIBRARY_PATH[] = Libdl.dlpath(library)
        return
    end
    error("the attopotts library was not found: install it so that pkg-config finds it, or name its file in ",
        "ATTOPOTTS_LIBRARY. Tried: ", join(notes, "; "))
end

text_of(pointer::Cstring) = pointer == C_NULL ? "" : unsafe_string(pointer)

# The text of the last failure in this thread.
function last_error()
    size = atp_last_error_from_one(C_NULL, 0)
    buffer = Vector{UInt8}(undef, size + 1)
    atp_last_error_from_one(buffer, size + 1)
    return String(resize!(buffer, size))
end

# Throw what a status says, unless it is OK.
function check(status)
    status == ATP_OK && return
    throw(AttoPottsError(word_of(:status, status), string(text_of(atp_status_name(status)), ": ", last_error())))
end

outcome_word(outcome) = Symbol(text_of(atp_outcome_name(outcome)))

@api begin
    """A call of the library failed. `status` is a word (`:e_shape`), `text` the library's own: which argument, its value, what
    was expected. What Julia can see by itself is an `ArgumentError` or a `DimensionMismatch`: types, numbers of dimensions,
    closed handles, names of options."""
    struct AttoPottsError <: Exception
        status::Symbol
        text::String
    end

    "The version of the library that is loaded, a `VersionNumber`."
    library_version() = VersionNumber(text_of(atp_version_string()))

    "The file of the library that is loaded."
    library_path() = LIBRARY_PATH[]

    """Whether the library was built with "threads", "hdf5", "zlib", "msgpack", "blis", "lapack"."""
    has_feature(name) = atp_has_feature(string(name)) != 0

    "The dense linear algebra that the library uses."
    blas_description() = text_of(atp_blas_description())

    "The SIMD targets of this machine and build, worst first."
    function simd_targets()
        found = Symbol[]
        while (name = atp_simd_target(length(found))) != C_NULL
            push!(found, Symbol(unsafe_string(name)))
        end
        return found
    end
end

function Base.showerror(io::IO, error::AttoPottsError)
    print(io, "AttoPottsError (", error.status, "): ", error.text)
end
