import type { VirtualLoop } from '../kernel/virtual-loop.ts'

/** How often things go wrong. Each seed draws its own rates; many of them are zero, so that faults also occur alone. */
export interface FaultRates {
  /** Per message between a server and the database. */
  readonly lostBefore: number
  readonly lostAfter: number
  readonly stalled: number
  /** Per commit: the connection breaks before or after it. */
  readonly commitLost: number
  readonly refused: number
  readonly deadlock: number
  /** Per notification between servers. */
  readonly notificationsLost: number
  /** Per request of a client, and per response. */
  readonly requestLost: number
  readonly responseLost: number
  /** Per second of each server. */
  readonly crash: number
  readonly freeze: number
  readonly clockJump: number
  /** Per second of the cluster. */
  readonly outage: number
  /** Per second of each flow process. */
  readonly processDeath: number
}

export const noFaults: FaultRates = {
  lostBefore: 0,
  lostAfter: 0,
  stalled: 0,
  commitLost: 0,
  refused: 0,
  deadlock: 0,
  notificationsLost: 0,
  requestLost: 0,
  responseLost: 0,
  crash: 0,
  freeze: 0,
  clockJump: 0,
  outage: 0,
  processDeath: 0,
}

const most: FaultRates = {
  lostBefore: 0.01,
  lostAfter: 0.01,
  stalled: 0.01,
  commitLost: 0.05,
  refused: 0.01,
  deadlock: 0.01,
  notificationsLost: 0.2,
  requestLost: 0.05,
  responseLost: 0.05,
  crash: 0.04,
  freeze: 0.04,
  clockJump: 0.05,
  outage: 0.02,
  processDeath: 0.02,
}

/** Half of the kinds of faults are absent. The others occur with different rates. */
export function drawFaults(loop: VirtualLoop): FaultRates {
  const rates = Object.entries(most).map(([kind, rate]) => [kind, loop.chance(0.5) ? rate * loop.between(0.1, 1) : 0] as const)
  return Object.fromEntries(rates) as unknown as FaultRates
}
