package mcp

import (
	"fmt"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// fence is a job object. Its last handle is ours: when we end, however we do, the system kills all that is in it.
type fence struct{ job windows.Handle }

// start starts the command and puts it into its job. What the command starts before it is in there is not: it has some
// microseconds for that.
func (f *fence) start(cmd *exec.Cmd, _ *box) (*exec.Cmd, error) {
	job, err := newJob()
	if err != nil {
		return nil, fmt.Errorf("job object: %w", err)
	}
	f.job = job
	if err := startOwn(cmd); err != nil {
		f.close()
		return nil, err
	}
	if err := assign(job, cmd.Process.Pid); err != nil {
		_ = cmd.Process.Kill()
		await(cmd)
		f.close()
		return nil, fmt.Errorf("job object: %w", err)
	}
	return cmd, nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
	}
	return job, err
}

func assign(job windows.Handle, pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(process) }()
	return windows.AssignProcessToJobObject(job, process)
}

func (f *fence) sweep(int, string) bool { return windows.TerminateJobObject(f.job, 1) == nil }

func (f *fence) close() { _ = windows.CloseHandle(f.job) }

func (f *fence) guarantee() Guarantee { return ByJob }
