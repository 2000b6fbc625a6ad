import type { Artifact } from '@millrace/contracts/artifact.ts'
import type { ReactNode } from 'react'
import { ownEntry } from '../../own-entry.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { isSafeImageUrl } from '../../ui/safe-url.ts'
import { ArtifactFacts } from './artifact-facts.tsx'
import { DataTable } from './data-table.tsx'
import { parseLinkData, parseTableData } from './parse-artifact-data.ts'

type Shown = Pick<Artifact, 'type' | 'data' | 'key' | 'description'>

/** Renders an artifact by its type. Data that does not fit the type is shown as JSON. */
function ArtifactView({ artifact }: { readonly artifact: Shown }) {
  const { data } = artifact
  if (data === null || data === undefined) return <EmptyState title="No data" compact />
  return ownEntry(views, artifact.type ?? '')?.(artifact) ?? <JsonView label="Data" value={data} />
}

const views: Record<string, ((artifact: Shown) => ReactNode) | undefined> = {
  markdown: ({ data }) => (typeof data === 'string' ? <Markdown text={data} /> : undefined),
  table: ({ data }) => {
    const table = parseTableData(data)
    return table && <DataTable table={table} />
  },
  link: ({ data }) => {
    const link = parseLinkData(data)
    if (!link) return undefined
    if (link.url === undefined) return <p>{link.text}</p>
    return (
      <a href={link.url} target="_blank" rel="noopener noreferrer" className="link inline-flex items-center gap-1.5 text-lg">
        {link.text}
        <Icon name="external" size={14} />
      </a>
    )
  },
  image: ({ data, key, description }) =>
    typeof data === 'string' && isSafeImageUrl(data) ? (
      <figure className="card overflow-hidden p-2">
        <img src={data} alt={description ?? key ?? 'Artifact'} className="mx-auto max-h-[70dvh] max-w-full" />
      </figure>
    ) : undefined,
  progress: ({ data, key }) => (Number.isFinite(Number(data)) ? <ProgressBar label={key ?? 'Progress'} percent={Number(data)} /> : undefined),
}

/** One version: description, data and origin. */
export function ArtifactDetails({ artifact }: { readonly artifact: Artifact }) {
  return (
    <article aria-label="Artifact" className="flex min-w-0 flex-1 flex-col gap-5">
      {artifact.description && (
        <div className="text-soft">
          <Markdown text={artifact.description} />
        </div>
      )}
      <ArtifactView artifact={artifact} />
      <div className="max-w-2xl border-line border-t pt-4">
        <ArtifactFacts artifact={artifact} />
      </div>
    </article>
  )
}
