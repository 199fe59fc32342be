// Seed tickets: human resources, the building and everything in it.

import type { Story } from '../story.ts'

export const PEOPLE_AND_BUILDING: readonly Story[] = [
  {
    subject: 'Heating in office 4.11 does not work',
    body: 'It is 16 degrees in 4.11 since Monday. The radiator is cold although the valve is at five. Three of us sit here in coats.',
    requester: 'carol',
    assignee: 'bob',
    priority: 'high',
    tags: ['building', 'heating'],
    talk: [
      [
        'bob',
        'The technician comes today between 13 and 15 o’clock. I have put an electric heater in front of your door.',
      ],
      ['carol', 'Thank you, that helps a lot.'],
      [
        'bob',
        'Pump of the north wing again; third time this winter, quote for a new one requested.',
        'internal',
      ],
    ],
  },
  {
    subject: 'Badge does not open the garage',
    body: 'My badge opens the main door and not the garage. I have had a parking space since the first of the month.',
    requester: 'erin',
    assignee: 'alice',
    tags: ['badge', 'parking', 'access'],
    talk: [
      [
        'alice',
        'The garage was missing in your profile. Please hold the badge to the reader at the reception once.',
      ],
    ],
    resolution: 'The garage was added to the badge.',
  },
  {
    subject: 'Klimaanlage im Besprechungsraum tropft',
    body: 'Aus der Klimaanlage im Raum „Elbe“ tropft Wasser auf den Tisch. Wir haben einen Eimer darunter gestellt.',
    requester: 'carol',
    priority: 'high',
    tags: ['building', 'air conditioning'],
    talk: [
      ['alice', 'Danke für den Eimer! Die Haustechnik ist verständigt.'],
      ['carol', 'Es tropft inzwischen stärker, der Raum ist gesperrt.'],
    ],
  },
  {
    subject: 'Elternzeit beantragen',
    body: 'Ich möchte ab Juni sechs Monate Elternzeit nehmen. Welches Formular brauche ich und bis wann muss es bei Ihnen sein?',
    requester: 'erin',
    assignee: 'alice',
    tags: ['hr', 'leave'],
    talk: [
      [
        'alice',
        'Herzlichen Glückwunsch! Das Formular liegt im Portal unter „Abwesenheiten“; die Frist ist sieben Wochen vorher.',
      ],
      ['erin', 'Vielen Dank, ich habe es abgeschickt.'],
    ],
    resolution: 'The form was explained and has arrived.',
  },
  {
    subject: 'Remaining holiday days are wrong',
    body: 'The portal shows 3 remaining days from last year, my own count says 5. I was ill on two days of my holiday in August and have sent the certificate.',
    requester: 'carol',
    assignee: 'alice',
    tags: ['hr', 'holiday'],
    talk: [
      ['alice', 'I have found the certificate, it was filed under September.'],
      ['carol', 'Does that make it five days?'],
      ['alice', 'Yes, the portal shows them from tomorrow.'],
    ],
    resolution: 'Two days of illness were given back.',
  },
  {
    subject: 'Zaświadczenie o zatrudnieniu',
    body: 'Potrzebuję zaświadczenia o zatrudnieniu i zarobkach do banku, najlepiej po polsku i po angielsku. Termin mam do piątku.',
    requester: 'erin',
    assignee: 'bob',
    tags: ['hr', 'documents'],
    talk: [['bob', 'Oba dokumenty są gotowe do odbioru w pokoju 114.']],
    resolution: 'The certificate was issued in both languages.',
  },
  {
    subject: '会議室の予約が重複しています',
    body: '大阪オフィスの会議室Bが、金曜日の午後二時に二つのチームで予約されています。システムでは重複できないはずですが、どうすればよいでしょうか。',
    requester: 'carol',
    assignee: 'bob',
    tags: ['meeting rooms', 'osaka'],
    talk: [
      ['bob', '会議室Cが空いていますので、そちらに変更してもよろしいですか。'],
      ['carol', 'はい、お願いします。'],
    ],
    resolution: 'One of the two meetings moved to room C.',
  },
  {
    subject: 'Lift stops between floor 2 and 3',
    body: 'The left lift stopped between two floors for a minute this morning with four people in it. It went on by itself. Please have it checked before it happens again.',
    requester: 'erin',
    assignee: 'bob',
    priority: 'urgent',
    tags: ['building', 'lift', 'safety'],
    talk: [
      ['bob', 'The lift is out of service until the inspection this afternoon. Please use the right one.'],
      ['bob', 'Inspector found a worn door contact; replaced, protocol in the safety folder.', 'internal'],
      ['bob', 'The door contact has been replaced and the lift runs again.'],
    ],
    resolution: 'A worn door contact was replaced.',
  },
  {
    subject: 'Cafeteria: please label allergens',
    body: 'Since the new caterer took over, the boards no longer say which dishes contain nuts. A colleague had a reaction yesterday, luckily a mild one.',
    requester: 'carol',
    priority: 'high',
    tags: ['cafeteria', 'safety'],
    talk: [
      [
        'alice',
        'Thank you for telling us. The caterer will label everything from tomorrow and we will check daily.',
      ],
    ],
  },
  {
    subject: 'Onboarding checklist for a remote colleague',
    body: 'A colleague starts on the ninth of March and will work from Nairobi. Is there a checklist for remote starters? Laptop, VPN, badge, contract, introduction call.',
    requester: 'erin',
    tags: ['hr', 'onboarding', 'remote work'],
  },
  {
    subject: 'Asansördeki ışık yanmıyor',
    body: 'İkinci bloktaki asansörün ışığı iki gündür yanmıyor. Akşamları içerisi çok karanlık oluyor, güvenlik açısından rahatsız edici.',
    requester: 'carol',
    assignee: 'bob',
    tags: ['building', 'lift'],
    resolution: 'The lamp was replaced.',
  },
  {
    subject: 'Noise from the server room next door',
    body: 'The fans in the server room have become so loud that we cannot hold calls in 1.03 with the door open.',
    requester: 'erin',
    priority: 'low',
    tags: ['building', 'noise'],
  },
  {
    subject: 'Pedido de cadeira ergonómica',
    body: 'Por recomendação médica, precisava de uma cadeira ergonómica com apoio lombar. Posso enviar a declaração do médico por aqui?',
    requester: 'carol',
    assignee: 'alice',
    tags: ['order', 'furniture', 'hr'],
    talk: [
      ['alice', 'Envie-a antes para a medicina do trabalho, por favor; aqui não guardamos dados de saúde.'],
      ['carol', 'Obrigada, assim farei.'],
    ],
  },
  {
    subject: 'Water in the bicycle cellar',
    body: 'There are two centimetres of water in the bicycle cellar after the rain of last night. The drain seems to be blocked with leaves.',
    requester: 'erin',
    assignee: 'alice',
    tags: ['building', 'bicycles'],
    talk: [['alice', 'The drain is free again and the floor is drying.']],
    resolution: 'The drain was cleared.',
  },
]
