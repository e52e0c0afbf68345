# SPDX-License-Identifier: MIT
# Callbacks: nothing that is thrown in one leaves through the library's frames.

mutable struct Running
    report::Any # a function of a Dict, or nothing
    problem::Any
end

function progress_values(progress)
    values = Dict{Symbol,Float64}()
    for (name, key) in WORDS[:progress_key]
        value = atp_progress_value(progress, key)
        isnan(value) || (values[name] = value)
    end
    return values
end

function report_progress(progress::Ptr{Cvoid}, user::Ptr{Cvoid})::Cint
    running = unsafe_pointer_to_objref(user)::Running
    try
        # A Ctrl-C that waits is thrown here, and caught below; one that comes while the report runs, too.
        answer = reenable_sigint(() -> running.report === nothing ? false : running.report(progress_values(progress)))
        return answer === true ? 1 : 0
    catch problem
        running.problem = problem
        return 1
    end
end

const REPORT_PROGRESS = Ref{Ptr{Cvoid}}(C_NULL)

# call(function pointer, user pointer) gives a status. Within borrow(), which holds back Ctrl-C.
function run_call(call, report)
    running = Running(report, nothing)
    # The library's frames stay in the thread where they are, though a report may switch tasks.
    task = current_task()
    sticky = task.sticky
    task.sticky = true
    status = try
        GC.@preserve running call(REPORT_PROGRESS[], pointer_from_objref(running))
    finally
        task.sticky = sticky
    end
    running.problem === nothing || throw(running.problem)
    check(status)
end

mutable struct Log
    write::Any # a function of (level, text)
end

function write_log(level::Cint, text::Cstring, user::Ptr{Cvoid})::Cvoid
    try
        log = unsafe_pointer_to_objref(user)::Log
        log.write(level == ATP_LOG_WARNING ? :warning : :info, unsafe_string(text))
    catch problem
        # A broken log is not the library's concern.
        try
            @error "a log function failed" exception = problem maxlog = 1
        catch
        end
    end
    return nothing
end

const WRITE_LOG = Ref{Ptr{Cvoid}}(C_NULL)

default_log(level, text) = level === :warning ? (@warn text) : (@info text)
