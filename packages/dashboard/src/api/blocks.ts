import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

export const blocksQuery = () =>
  queryOptions({
    queryKey: ['blocks', 'list'],
    queryFn: ({ signal }) => call<BlockDocument[]>('POST', '/block_documents/filter', { body: { include_secrets: false }, signal }),
  })
