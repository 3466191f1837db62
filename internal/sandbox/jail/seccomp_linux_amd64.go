package jail

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

const setFS = 0x1002 // ARCH_SET_FS

// archRules are the rules of amd64 only: there the runtime sets the address of thread-local storage by a system call.
var archRules = []rule{
	{call: unix.SYS_ARCH_PRCTL, conditions: []condition{equals(0, setFS)}, otherwise: refuse},
}

// archLethal are lethal calls that only amd64 has.
var archLethal = []uint32{
	unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_MODIFY_LDT, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_USELIB,
	unix.SYS_CREATE_MODULE,
}

// exitProgram is the machine code of a program that asks for a socket, and exits with the number of the error.
var exitProgram = []byte{
	0xbf, 0x02, 0x00, 0x00, 0x00, // mov edi, AF_INET
	0xbe, 0x01, 0x00, 0x00, 0x00, // mov esi, SOCK_STREAM
	0x31, 0xd2, // xor edx, edx
	0xb8, 0x29, 0x00, 0x00, 0x00, // mov eax, SYS_socket
	0x0f, 0x05, // syscall
	0x89, 0xc7, // mov edi, eax
	0xf7, 0xdf, // neg edi
	0xb8, 0xe7, 0x00, 0x00, 0x00, // mov eax, SYS_exit_group
	0x0f, 0x05, // syscall
}

const elfMachine = 62 // EM_X86_64
