import type { Random } from './random.ts'

/** Words for the generated names of unnamed runs: an adjective and an animal. */
const adjectives = `agile amber ample arctic azure balmy bold brave breezy bright brisk bronze calm candid cheery clever cobalt copper coral cosmic
crisp curious daring deft dusky eager early earnest easy elder epic fair fleet fluent fond frosty gentle glad golden grand green happy hardy
hazel honest humble indigo jade jolly keen kind late level light lively lofty loyal lucid lucky lunar mellow merry mighty mild misty modest
mossy neat nimble noble ochre olive opal patient placid plucky polite prime proud quick quiet rapid ready robust rosy royal rustic sage sandy
scarlet serene sharp shy silent silver sleek smart snowy solar solid spry stable steady stellar still sturdy subtle sunny swift tidy timely
tranquil true upbeat valiant velvet vivid warm wary wild wise witty young zesty`.split(/\s+/)

const animals = `albatross alpaca ant antelope avocet axolotl badger barbet bat bear beaver bee bison bittern boar bobcat bream bunting buzzard
camel caribou carp cat chamois cheetah chough civet cobra cod condor coot coral cougar coyote crab crane cricket crow curlew deer dingo dolphin
donkey dove dragonfly duck dunlin eagle eel egret eland elk ermine falcon ferret finch firefly fox frog gannet gazelle gecko gerbil gibbon goat
goose grouse gull hare hawk hedgehog heron hoopoe hornet horse ibex ibis iguana impala jackal jackdaw jaguar jay kestrel kite kiwi koala kudu
ladybird lapwing lark lemming lemur leopard linnet lion lizard llama lobster lynx macaw magpie mallard marmot marten mink mole moose moth mouse
mule narwhal newt ocelot octopus okapi orca oriole osprey otter owl ox oyster panda parrot partridge pelican penguin perch pheasant pigeon pike
plover pony puffin puma quail rabbit raven redstart reindeer robin rook salmon sandpiper seal shrew shrike skylark snipe sparrow squid stag
starling stoat stork swallow swan swift tapir teal tern thrush tiger toad toucan trout turtle viper vole walrus warbler wasp weasel whale wolf
wombat woodcock wren yak zebra`.split(/\s+/)

const pick = (words: readonly string[], random: Random): string => words[Math.floor(random.next() * words.length)] as string

export const generateRunName = (random: Random): string => `${pick(adjectives, random)}-${pick(animals, random)}`
