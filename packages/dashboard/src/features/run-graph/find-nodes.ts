import type { StateLook } from '../../ui/state-look.ts'
import type { Scene } from './scene.ts'

/** Which nodes have the words in their name and the state, in the order they are drawn in. Undefined when nothing is looked for. */
export function findNodes(scene: Scene, words: string, look: StateLook | undefined): readonly number[] | undefined {
  const wanted = words.trim().toLowerCase()
  if (wanted === '' && look === undefined) return undefined
  const found: number[] = []
  for (const [index, { label }] of scene.nodes.entries()) {
    if (look !== undefined && scene.looks[index] !== look) continue
    if (wanted === '' || label.toLowerCase().includes(wanted)) found.push(index)
  }
  return found
}
