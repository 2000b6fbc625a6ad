import { FreeObject, Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { notFound } from '../../errors.ts'
import { type Route, route } from '../../lib/route.ts'
import { collectionView } from './collection-views.ts'

export function collectionRoutes(): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/collections/views/:view',
        tag: 'Collections',
        summary: 'Read what there is to choose from: kinds of workers, of blocks',
        scope: 'server:read',
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
