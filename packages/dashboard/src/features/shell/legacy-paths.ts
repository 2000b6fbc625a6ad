/** Paths of other versions of the v3 UI, with their equivalents here. The first match wins; `$1` is its first group. */
const legacyRoutes: readonly (readonly [from: RegExp, to: string])[] = [
  [/^\/flow-runs$/, '/runs'],
  [/^\/(?:flow-runs\/)?flow-runs?\/([^/]+)$/, '/runs/flow-run/$1'],
  [/^\/(?:(?:flow|task)-runs\/)?task-runs?\/([^/]+)$/, '/runs/task-run/$1'],
  [/^\/task-runs$/, '/runs'],
  [/^\/flow\/([^/]+)$/, '/flows/flow/$1'],
  [/^\/deployment\/([^/]+)$/, '/deployments/deployment/$1'],
  [/^\/deployments\/deployment\/([^/]+)\/(?:run|edit|duplicate)$/, '/deployments/deployment/$1'],
  [/^\/work-queues$/, '/work-pools'],
  [/^\/work-pools\/(?:work-pool\/)?([^/]+)\/(?:edit|queue\/.+|queues?)$/, '/work-pools/work-pool/$1'],
  [/^\/work-pool\/([^/]+)$/, '/work-pools/work-pool/$1'],
  [/^\/notifications(?:\/(?:new|create))?$/, '/automations'],
  [/^\/notifications\/.+$/, '/automations'],
  [/^\/automations\/([^/]+)$/, '/automations/automation/$1'],
  [/^\/automation\/([^/]+)$/, '/automations/automation/$1'],
  [/^\/block\/([^/]+)$/, '/blocks/block/$1'],
  [/^\/artifacts\/artifact$/, '/artifacts'],
  [/^\/concurrency-limits\/.+$/, '/concurrency-limits'],
  [/^\/events\/event\/([^/]+)$/, '/events/event/any/$1'],
  [/^\/variables\/.+$/, '/variables'],
  [/^\/settings\/.+$/, '/settings'],
  [/^\/index(?:\.html)?$/, '/dashboard'],
]

/** Current path of a legacy path, or undefined. Never returns the same path. */
export function resolveLegacyPath(path: string): string | undefined {
  const plain = path.replace(/\/+$/, '')
  for (const [from, to] of legacyRoutes) {
    const found = from.exec(plain)
    if (!found) continue
    const target = to.replace('$1', found[1] ?? '')
    return target === plain ? undefined : target
  }
  return undefined
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** Links in events and messages contain ids of pools and queues; the pages use names. */
export const poolIdInPath = (path: string): string | undefined => new RegExp(`^/work-pools/work-pool/(${uuid})$`, 'i').exec(path)?.[1]
export const queueIdInPath = (path: string): string | undefined => new RegExp(`^/work-queues/(?:work-queue/)?(${uuid})$`, 'i').exec(path)?.[1]
