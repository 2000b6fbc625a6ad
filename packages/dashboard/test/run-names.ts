const adjectives = 'amber brisk calm dusty eager gentle hazel ivory jolly keen lucid mossy noble olive proud rusty silver tidy vivid witty'.split(' ')
const birds =
  'bittern condor dunlin falcon gannet heron jackdaw kestrel linnet marten otter pelican plover puffin robin sparrow tern wagtail wren'.split(' ')

/**
 * Names for runs, each another: those that the server makes up are found by chance where a test looks for a word, as `All` was in a wallaby's.
 * None of these has a word of a page in it.
 */
export function createRunNames(): () => string {
  let given = 0
  return () => {
    const name = `${adjectives[given % adjectives.length]}-${birds[given % birds.length]}`
    given += 1
    return name
  }
}
