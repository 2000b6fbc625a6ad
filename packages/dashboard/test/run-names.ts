const adjectives = 'amber brisk calm dusty eager gentle hazel ivory jolly keen lucid mossy noble olive proud rusty silver tidy vivid witty'.split(' ')
const birds =
  'bittern condor dunlin falcon gannet heron jackdaw kestrel linnet marten otter pelican plover puffin robin sparrow tern wagtail wren'.split(' ')

/**
 * Unique run names that contain no text of a page. Generated names can match a search by accident: `All` matched `wallaby`.
 */
export function createRunNames(): () => string {
  let given = 0
  return () => {
    const name = `${adjectives[given % adjectives.length]}-${birds[given % birds.length]}`
    given += 1
    return name
  }
}
