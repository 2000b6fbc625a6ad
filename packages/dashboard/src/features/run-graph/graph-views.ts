/** The ways to see a graph, as the address names them. */
export const graphViews = [
  { value: 'timeline', label: 'Timeline' },
  { value: 'dependencies', label: 'Dependencies' },
  { value: 'list', label: 'List' },
] as const
export type GraphView = (typeof graphViews)[number]['value']

/** What of a graph stands in the address. */
export interface GraphSearch {
  readonly view?: GraphView | undefined
  /** The id of the node whose details are open. */
  readonly node?: string | undefined
  readonly find?: string | undefined
}
