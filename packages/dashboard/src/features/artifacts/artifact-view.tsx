import type { Artifact } from '@millrace/contracts/artifact.ts'
import type { ReactNode } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { isPictureAddress } from '../../ui/safe-address.ts'
import { tableData } from './artifact-table-data.ts'
import { DataTable } from './data-table.tsx'
import { linkData } from './link-data.ts'
import { ProgressBar } from './progress-bar.tsx'

type Shown = Pick<Artifact, 'type' | 'data' | 'key' | 'description'>

/** What an artifact holds, the way its type is meant to be seen; whatever does not hold what its type says is JSON. */
export function ArtifactView({ artifact }: { readonly artifact: Shown }) {
  const { data } = artifact
  if (data === null || data === undefined) return <EmptyState title="It holds nothing" compact />
  return views[artifact.type ?? '']?.(artifact) ?? <JsonView label="Data" value={data} />
}

const views: Record<string, ((artifact: Shown) => ReactNode) | undefined> = {
  markdown: ({ data }) => (typeof data === 'string' ? <Markdown text={data} /> : undefined),
  table: ({ data }) => {
    const table = tableData(data)
    return table && <DataTable table={table} />
  },
  link: ({ data }) => {
    const link = linkData(data)
    if (!link) return undefined
    if (link.address === undefined) return <p>{link.text}</p>
    return (
      <a href={link.address} target="_blank" rel="noopener noreferrer" className="link inline-flex items-center gap-1.5 text-lg">
        {link.text}
        <Icon name="external" size={14} />
      </a>
    )
  },
  image: ({ data, key, description }) =>
    typeof data === 'string' && isPictureAddress(data) ? (
      <figure className="card overflow-hidden p-2">
        <img src={data} alt={description ?? key ?? 'Artifact'} className="mx-auto max-h-[70dvh] max-w-full" />
      </figure>
    ) : undefined,
  progress: ({ data, key }) => (Number.isFinite(Number(data)) ? <ProgressBar label={key ?? 'Progress'} percent={Number(data)} /> : undefined),
}
