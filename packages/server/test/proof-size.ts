/**
 * Some tests are the proof of a promise, which takes longer at its full size than a run of all tests should: there they run at a smaller one.
 * `PROOF=full npm test -- PATH` runs them as promised, and they tell their figures.
 */
const isFull = process.env.PROOF === 'full'

export const sizeOf = (usual: number, full: number): number => (isFull ? full : usual)

/** Says what was found; in a run of all tests nobody wants to know. */
export function report(figures: string): void {
  if (isFull) process.stdout.write(`${figures}\n`)
}
