import type { VirtualLoop } from '../kernel/virtual-loop.ts'
import type { DeploymentPlan, Plan } from './world.ts'

const drawDeployment = (loop: VirtualLoop, n: number): DeploymentPlan => ({
  name: `deployment-${n}`,
  intervalSeconds: loop.pick([2, 5, 7, 10]),
  limit: loop.chance(0.6) ? loop.integer(1, 2) : null,
  collisionStrategy: loop.chance(0.8) ? 'ENQUEUE' : 'CANCEL_NEW',
})

/** Small clusters are more likely: they find most faults and take less time. */
export function drawPlan(loop: VirtualLoop, isComplete: boolean): Plan {
  return {
    servers: loop.pick([2, 2, 2, 3, 3, 4, 5]),
    workers: loop.integer(1, 2),
    slotHolders: loop.integer(0, 4),
    eventSenders: loop.integer(0, 2),
    deployments: Array.from({ length: loop.integer(1, 2) }, (_, n) => drawDeployment(loop, n)),
    globalLimit: loop.integer(1, 2),
    tagLimit: loop.integer(1, 2),
    renewsLeases: loop.chance(0.4),
    activeSeconds: loop.pick([15, 20, 30]),
    subscribers: loop.integer(1, 2),
    catchAlls: loop.chance(0.1) ? 4 : 0,
    isComplete,
    usesSavepoints: loop.chance(0.2),
  }
}
