import type { VirtualLoop } from '../kernel/virtual-loop.ts'
import type { DeploymentPlan, Plan } from './world.ts'

const drawDeployment = (loop: VirtualLoop, n: number): DeploymentPlan => ({
  name: `deployment-${n}`,
  intervalSeconds: loop.pick([2, 5, 7, 10]),
  limit: loop.chance(0.6) ? loop.integer(1, 2) : null,
  collisionStrategy: loop.chance(0.8) ? 'ENQUEUE' : 'CANCEL_NEW',
})

export interface PlanOptions {
  readonly isComplete: boolean
  /** A long seed has more servers and lasts until leases expire. */
  readonly isLong: boolean
}

/** Small clusters are more likely: they find most faults and take less time. */
export function drawPlan(loop: VirtualLoop, { isComplete, isLong }: PlanOptions): Plan {
  return {
    servers: loop.pick(isLong ? [2, 3, 3, 4, 5] : [2, 2, 2, 3]),
    workers: isLong ? loop.integer(1, 2) : 1,
    slotHolders: loop.integer(0, isLong ? 4 : 3),
    eventSenders: loop.integer(0, 2),
    deployments: Array.from({ length: loop.integer(1, 2) }, (_, n) => drawDeployment(loop, n)),
    globalLimit: loop.integer(1, 2),
    tagLimit: loop.integer(1, 2),
    renewsLeases: loop.chance(0.4),
    activeSeconds: loop.pick(isLong ? [20, 30, 90] : [3, 5, 8]),
    subscribers: loop.integer(1, 2),
    catchAlls: isLong && loop.chance(0.1) ? 4 : 0,
    isComplete,
  }
}
