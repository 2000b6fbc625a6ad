import type { DisplayState } from '../../ui/display-state.ts'
import type { Scene } from './scene.ts'

/** Nodes that match text and state, in drawing order. Undefined without a search. */
export function findNodes(scene: Scene, text: string, displayState: DisplayState | undefined): readonly number[] | undefined {
  const query = text.trim().toLowerCase()
  if (query === '' && displayState === undefined) return undefined
  const found: number[] = []
  for (const [index, { label }] of scene.nodes.entries()) {
    if (displayState !== undefined && scene.displayStates[index] !== displayState) continue
    if (query === '' || label.toLowerCase().includes(query)) found.push(index)
  }
  return found
}
