/**
 * Some promises take minutes to prove at their full size. A run of all tests proves them at a smaller one; `PROOF=full npm test -- PATH` proves
 * them at full size and prints the measured figures.
 */
export const isFullProof = process.env.PROOF === 'full'

/** Also for time limits: a daily run may share its machine with other processes, so its limits only catch waits that would not end. */
export const proofSize = (daily: number, full: number): number => (isFullProof ? full : daily)

export function reportFigures(figures: string): void {
  if (isFullProof) process.stdout.write(`${figures}\n`)
}
