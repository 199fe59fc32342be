// Seed tickets: printers and scanners.

import type { Story } from '../story.ts'

export const PRINTERS: readonly Story[] = [
  {
    subject: 'Printer on floor 3 is offline',
    body: 'The big printer next to the kitchen shows a blinking red light since this morning and every job stays in the queue. We have the board papers to print before noon.',
    requester: 'carol',
    assignee: 'alice',
    priority: 'high',
    tags: ['printer', 'floor 3'],
    talk: [
      [
        'alice',
        'I can see that it lost its network address. Could you switch it off, wait ten seconds and switch it on again?',
      ],
      ['carol', 'Done. The light is orange now, still offline.'],
      ['alice', 'Port 14 of the floor switch flaps. Asked Bob to swap the cable at lunch.', 'internal'],
      ['alice', 'It is the cable to the wall. Please use the printer on floor 2 until we have replaced it.'],
    ],
  },
  {
    subject: 'Drucker druckt nur leere Seiten',
    body: 'Der Drucker im Empfang zieht Papier ein, aber die Seiten kommen leer heraus. Der Toner ist laut Anzeige noch zu 60 % voll. Können Sie das bitte prüfen?',
    requester: 'erin',
    assignee: 'bob',
    tags: ['printer', 'reception'],
    talk: [
      ['bob', 'Ist beim letzten Tonerwechsel der orange Schutzstreifen gezogen worden?'],
      ['erin', 'Oh. Nein, der steckt noch drin. Jetzt druckt er wieder, vielen Dank!'],
    ],
    resolution: 'The protective strip of the toner cartridge had not been removed.',
  },
  {
    subject: 'Printer prints everything twice',
    body: 'Since the driver update last week my printer on the second floor prints every document twice, even when I ask for one copy. Only from the spreadsheet program.',
    requester: 'carol',
    tags: ['printer', 'driver'],
  },
  {
    subject: '打印机卡纸',
    body: '三楼会议室旁边的打印机今天早上一直卡纸。我打开后盖取出了纸，但是屏幕上仍然显示“卡纸”。下午要打印合同，请尽快处理。',
    requester: 'erin',
    assignee: 'alice',
    priority: 'high',
    tags: ['printer', 'floor 3'],
    talk: [
      ['alice', '您好，请打开下面的纸盒，看看里面有没有小纸片。'],
      ['erin', '找到了一小块纸，现在可以打印了，谢谢！'],
    ],
    resolution: 'A scrap of paper was left in the lower tray.',
  },
  {
    subject: 'プリンターのトナーが切れそうです',
    body: '東京オフィスのプリンターに「トナー残量わずか」と表示されています。来週の月曜日までに交換をお願いできますか。型番は側面のラベルに書いてあります。',
    requester: 'carol',
    assignee: 'bob',
    priority: 'low',
    tags: ['printer', 'tokyo'],
    talk: [
      ['bob', '承知しました。トナーは金曜日に届く予定です。'],
      ['bob', 'Last spare of this model; order two more with the next delivery.', 'internal'],
    ],
  },
  {
    subject: "Le scanner n'envoie plus les documents par courriel",
    body: "Depuis hier, le scanner du premier étage affiche « échec d'authentification » quand j'envoie un document à mon adresse. L'impression fonctionne normalement.",
    requester: 'carol',
    assignee: 'alice',
    tags: ['scanner', 'email'],
    talk: [
      [
        'alice',
        "Le mot de passe du compte du scanner a expiré. Nous l'avons renouvelé ; pouvez-vous réessayer ?",
      ],
      ['carol', 'Cela fonctionne de nouveau, merci.'],
      ['alice', 'Moved the account to a certificate so that this does not come back in 90 days.', 'internal'],
    ],
    resolution: 'The password of the scanner account had expired; it uses a certificate now.',
  },
  {
    subject: 'Label printer in the warehouse cuts off the last digit',
    body: 'Shipping labels from the Zebra printer miss the last digit of the tracking number. Two parcels came back because of it today.',
    requester: 'erin',
    assignee: 'bob',
    priority: 'urgent',
    tags: ['printer', 'warehouse', 'shipping'],
    talk: [
      ['bob', 'Which label width is set in the menu under Media? It should say 102 mm.'],
      ['erin', 'It says 100 mm. Somebody must have changed it when the roll was replaced.'],
      ['bob', 'Please set it to 102 mm and print one test label.'],
      ['erin', 'All digits are there now.'],
    ],
    resolution: 'The label width was set to 100 mm in place of 102 mm.',
  },
  {
    subject: 'Yazıcıya bağlanamıyorum',
    body: 'Yeni dizüstü bilgisayarımdan ikinci kattaki yazıcıya bağlanamıyorum. Listede görünüyor ama "erişim reddedildi" diyor. Eski bilgisayarımda sorun yoktu.',
    requester: 'erin',
    tags: ['printer', 'laptop'],
  },
  {
    subject: 'Colour printer asks everybody for a PIN',
    body: 'Since this week the colour printer on floor 1 asks for a PIN before it prints. Nobody here has been given one. Is that the new way for all printers?',
    requester: 'erin',
    assignee: 'alice',
    tags: ['printer', 'floor 1'],
    talk: [
      [
        'alice',
        'Yes, it is the PIN from the back of your badge. The announcement left out your floor, sorry.',
      ],
      ['erin', 'Found it, it works. I will tell the others.'],
      ['alice', 'Sent the announcement to floor 1 again.', 'internal'],
    ],
    resolution: 'The PIN is the one on the badge; the announcement was sent again.',
  },
  {
    subject: 'New printer for the reception',
    body: 'The reception moves to the ground floor in April. Could we have a small printer there for visitor badges? Black and white is enough.',
    requester: 'carol',
    priority: 'low',
    tags: ['printer', 'reception', 'order'],
  },
]
