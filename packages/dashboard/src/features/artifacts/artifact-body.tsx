import type { Artifact } from '@millrace/contracts/artifact.ts'
import { Markdown } from '../../ui/markdown.tsx'
import { ArtifactFacts } from './artifact-facts.tsx'
import { ArtifactView } from './artifact-view.tsx'

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
