import type { DisplayState } from '../../ui/display-state.ts'
import type { Scene } from './scene.ts'

/** Which nodes have the words in their name and the state, in the order they are drawn in. Undefined when nothing is looked for. */
export function findNodes(scene: Scene, words: string, displayState: DisplayState | undefined): readonly number[] | undefined {
  const wanted = words.trim().toLowerCase()
  if (wanted === '' && displayState === undefined) return undefined
  const found: number[] = []
  for (const [index, { label }] of scene.nodes.entries()) {
    if (displayState !== undefined && scene.displayStates[index] !== displayState) continue
    if (wanted === '' || label.toLowerCase().includes(wanted)) found.push(index)
  }
  return found
}
