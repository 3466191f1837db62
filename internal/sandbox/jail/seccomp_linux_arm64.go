package jail

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// arm64 has no rules and no lethal calls beyond the common ones.
var (
	archRules  []rule
	archLethal []uint32
)

// exitProgram is the machine code of a program that asks for a socket, and exits with the number of the error.
var exitProgram = []byte{
	0x40, 0x00, 0x80, 0xd2, // mov x0, AF_INET
	0x21, 0x00, 0x80, 0xd2, // mov x1, SOCK_STREAM
	0x02, 0x00, 0x80, 0xd2, // mov x2, 0
	0xc8, 0x18, 0x80, 0xd2, // mov x8, SYS_socket
	0x01, 0x00, 0x00, 0xd4, // svc 0
	0xe0, 0x03, 0x00, 0xcb, // neg x0, x0
	0xc8, 0x0b, 0x80, 0xd2, // mov x8, SYS_exit_group
	0x01, 0x00, 0x00, 0xd4, // svc 0
}

const elfMachine = 183 // EM_AARCH64
