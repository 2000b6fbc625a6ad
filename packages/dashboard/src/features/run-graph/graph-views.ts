/** Views of a graph as the URL names them. */
export const graphViews = [
  { value: 'timeline', label: 'Timeline' },
  { value: 'dependencies', label: 'Dependencies' },
  { value: 'list', label: 'List' },
] as const
export type GraphView = (typeof graphViews)[number]['value']

/** URL parameters of a graph. */
export interface GraphSearch {
  readonly view?: GraphView | undefined
  /** ID of the node with open details. */
  readonly node?: string | undefined
  readonly find?: string | undefined
}
