import type { Artifact } from '@millrace/contracts/artifact.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { parseLinkData } from './parse-link-data.ts'

type Listed = Pick<Artifact, 'type' | 'description' | 'data' | 'key'>

/** Description of an artifact, or the start of its data. */
export function ArtifactSummary({ artifact }: { readonly artifact: Listed }) {
  const { type, description, data, key } = artifact
  if (type === 'progress' && Number.isFinite(Number(data))) {
    return (
      <div className="max-w-60">
        <ProgressBar label={`Progress of ${key ?? 'it'}`} percent={Number(data)} />
      </div>
    )
  }
  const text = description || (type === 'link' ? parseLinkData(data)?.text : typeof data === 'string' && !data.startsWith('data:') ? data : '') || ''
  return <span className="block truncate text-soft">{text.slice(0, summaryCharactersMax)}</span>
}

const summaryCharactersMax = 300
