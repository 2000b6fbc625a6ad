import { availableParallelism } from 'node:os'
import { readMachineTime } from '../../packages/bench/src/machine.ts'

/** Measures milliseconds, without the time that a hypervisor gave to other machines. */
export function startStopwatch(now = () => performance.now(), read = readMachineTime): () => number {
  const began = now()
  const before = read()
  return () => {
    const ms = now() - began
    const after = read()
    if (!before || !after) return ms
    // Of all cores together. A core that is idle loses nothing.
    const stolenMs = ((after.stolenSeconds - before.stolenSeconds) * 1000) / availableParallelism()
    return Math.max(0, ms - stolenMs)
  }
}
