/**
 * Some tests are the proof of a promise, which takes longer at its full size than a run of all tests should: there they run at a smaller one.
 * `PROOF=full npm test -- PATH` runs them as promised, and they tell their figures.
 */
const isFullProof = process.env.PROOF === 'full'

export const proofSize = (usual: number, full: number): number => (isFullProof ? full : usual)

/** Says what was found; in a run of all tests nobody wants to know. */
export function reportFigures(figures: string): void {
  if (isFullProof) process.stdout.write(`${figures}\n`)
}
