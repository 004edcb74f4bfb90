/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms that are asked for, in the order of preference. A library leaves out what it does not have. */
#ifndef MSPROF_SSH_TRANSPORT_ALGORITHMS_H
#define MSPROF_SSH_TRANSPORT_ALGORITHMS_H

/* AES-GCM takes the least time where processors have instructions for it; dropbear has chacha20-poly1305 in its place.
 */
#define ALGORITHMS_CIPHERS                                                                                             \
    "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes128-ctr,aes256-ctr,aes192-ctr"
#define ALGORITHMS_MACS                                                                                                \
    "hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha2-256,hmac-sha2-512,hmac-sha1"
/* The last one is for boards whose server knows nothing newer. */
#define ALGORITHMS_KEY_EXCHANGES                                                                                       \
    "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,ecdh-sha2-nistp521,"         \
    "diffie-hellman-group16-sha512,diffie-hellman-group18-sha512,diffie-hellman-group-exchange-sha256,"                \
    "diffie-hellman-group14-sha256,diffie-hellman-group14-sha1"
/* How keys of users sign; of RSA the newest way that the server has. */
#define ALGORITHMS_SIGNATURES                                                                                          \
    "ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,rsa-sha2-512,rsa-sha2-256,ssh-rsa"

#endif
