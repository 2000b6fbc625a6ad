import { ResourceLink } from '../events/resource-link.tsx'
import type { TextPart, TriggerDescription } from './describe-trigger.ts'

/** A sentence with its things as links. */
export function TextParts({ pieces }: { readonly pieces: readonly TextPart[] }) {
  return (
    <>
      {pieces.map((piece, index) => {
        const key = `${index} ${typeof piece === 'string' ? piece : JSON.stringify(piece)}`
        if (typeof piece === 'string') return <span key={key}>{piece}</span>
        if ('resource' in piece) return <ResourceLink key={key} id={piece.resource} />
        return (
          <code key={key} className="rounded-sm bg-sunken px-1 font-mono text-sm">
            {piece.code}
          </code>
        )
      })}
    </>
  )
}

/** A trigger in words, with those within it. */
export function TriggerDescriptionView({ sentence }: { readonly sentence: TriggerDescription }) {
  return (
    <div>
      <p>
        <TextParts pieces={sentence.parts} />
        {sentence.children.length > 0 ? ':' : '.'}
      </p>
      {sentence.children.length > 0 && (
        <ul className="mt-1 flex list-disc flex-col gap-1 pl-5 marker:text-faint">
          {sentence.children.map((inner, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a sentence is drawn as a whole
            <li key={index}>
              <TriggerDescriptionView sentence={inner} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
