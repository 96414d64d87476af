/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of the MTA to session events, session actions to packets.
 */
#ifndef FRONT_PACKET_H
#define FRONT_PACKET_H

#include "front_own.h"

/*
 * Take one packet; answers are put into c->out. Sets c->hold where something
 * must come first: with HOLD_BODY and HOLD_LAST the packet is not taken.
 *   returns  false: the connection is to be closed
 */
bool front_packet(struct front_conn *c, struct wire_packet packet) MUSTUSE;

/*
 * What comes begins with the length of no packet: front_fault tells it.
 *   error    of wire_next
 */
void front_packet_refuse_length(struct front_conn *c, int error);

/*
 * An answer came, or a time is over.
 *   returns  true: nothing holds, packets may be taken
 */
bool front_packet_look(struct front_conn *c) MUSTUSE;

#endif
