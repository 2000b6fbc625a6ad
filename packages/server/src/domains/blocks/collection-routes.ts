import { FreeObject, Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import { allBlocks } from './system-blocks/all-blocks.ts'
import { allWorkers } from './worker-types/all-workers.ts'

export function collectionRoutes(): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/collections/views/:view',
        tag: 'Collections',
        summary: 'Read a collection of worker types or block types',
        scope: 'server:read',
        kind: 'query',
        params: Type.Object({ view: Text }),
        responses: { 200: FreeObject },
      },
      ({ params }) => {
        const view = collectionView(params.view)
        if (!view) throw notFound(`The view ${params.view}`)
        return view
      },
    ),
  ]
}

type View = Readonly<Record<string, unknown>>

/** Groups items by collection and by name. */
function groupByCollection<T>(items: readonly T[], toEntry: (item: T) => readonly [collection: string, name: string, content: object]): View {
  const view: Record<string, Record<string, object>> = {}
  for (const item of items) {
    const [collection, name, content] = toEntry(item)
    view[collection] = { ...view[collection], [name]: content }
  }
  return view
}

const workers = (): View => groupByCollection(allWorkers, ({ collection, metadata }) => [collection, metadata.type, metadata])

const blocks = (): View => ({
  millrace: {
    block_types: Object.fromEntries(
      allBlocks.map(({ slug, name, description, isProtected, checksum, version, capabilities, fields }) => [
        slug,
        {
          slug,
          name,
          description,
          is_protected: isProtected,
          logo_url: null,
          documentation_url: null,
          code_example: null,
          block_schema: { checksum, version, capabilities, fields },
        },
      ]),
    ),
  },
})

const none = (): View => ({})

/**
 * The views that existing clients request, by name. Nothing is fetched from other servers. The server has no built-in flows, so the views
 * of flows are empty.
 */
const views: Readonly<Record<string, () => View>> = {
  'aggregate-worker-metadata': workers,
  'aggregate-block-metadata': blocks,
  'aggregate-flow-metadata': none,
  'demo-flows': none,
}

export const collectionView = (name: string): View | undefined => (Object.hasOwn(views, name) ? views[name]?.() : undefined)
