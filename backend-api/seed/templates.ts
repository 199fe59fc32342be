// Invents stories in any number for load work: plain sentences with varied words, people, states and languages.

import { pick, type Random } from './random.ts'
import type { Requester, Staff, Story } from './story.ts'

const THINGS = [
  'Printer',
  'Laptop',
  'VPN',
  'Badge',
  'Phone',
  'Invoice',
  'Screen',
  'Scanner',
  'Mailbox',
  'Payslip',
]
const PLACES = ['on floor 1', 'on floor 2', 'on floor 3', 'in Lyon', 'in Warsaw', 'in Tokyo', 'at home']
const FAULTS = [
  'is offline',
  'is very slow',
  'shows an error',
  'is missing',
  'asks for a password',
  'stopped twice',
]
const WISHES = [
  'Please have a look today.',
  'It is not urgent.',
  'We have a deadline on Friday.',
  'Merci d’avance !',
]
const OTHER_LANGUAGES = [
  'お手数ですがご確認ください。',
  'Bitte um Rückruf.',
  'Спасибо!',
  '请尽快处理。',
  'Gracias de antemano.',
]
const QUESTIONS = [
  'Since when does it happen?',
  'Could you restart it once?',
  'Which number is on the label?',
]
const ANSWERS = [
  'Since Monday.',
  'I did, nothing changed.',
  'It works again, thank you.',
  'The number is 4711.',
]
const NOTES = ['Known issue, see the list.', 'Third report this week.', 'Spare part ordered.']
const RESOLUTIONS = ['Restarted it.', 'Replaced the cable.', 'Updated the driver.', 'Access was granted.']
const REQUESTERS: readonly Requester[] = ['carol', 'erin']
const STAFF: readonly Staff[] = ['alice', 'bob']
const TALK_MAX = 4

/** The next invented story; `number` makes its text unlike all others. */
export function inventStory(number: number, random: Random): Story {
  const thing = pick(random, THINGS)
  const subject = `${thing} ${pick(random, PLACES)} ${pick(random, FAULTS)}`
  const requester = pick(random, REQUESTERS)
  const staff = pick(random, STAFF)
  const closed = random() < 0.5
  return {
    subject,
    body: `${subject} (case ${number}). ${pick(random, WISHES)} ${pick(random, OTHER_LANGUAGES)}`,
    requester,
    priority: pick(random, ['low', 'normal', 'normal', 'high', 'urgent'] as const),
    tags: [thing.toLowerCase()],
    talk: inventTalk(requester, staff, random),
    ...((closed || random() < 0.6) && { assignee: staff }),
    ...(closed && { resolution: pick(random, RESOLUTIONS) }),
  }
}

function inventTalk(requester: Requester, staff: Staff, random: Random): NonNullable<Story['talk']> {
  const length = Math.floor(random() * (TALK_MAX + 1))
  return Array.from({ length }, (_, turn) => {
    if (random() < 0.15) return [staff, pick(random, NOTES), 'internal'] as const
    return turn % 2 === 0
      ? ([staff, pick(random, QUESTIONS)] as const)
      : ([requester, pick(random, ANSWERS)] as const)
  })
}
