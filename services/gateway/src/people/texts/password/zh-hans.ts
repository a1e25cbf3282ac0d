import type { Texts } from './en.ts'

export const texts = {
  change: '更改密码',
  current: '当前密码',
  new: '新密码',
  rule: (least) => `至少 ${least} 个字符。`,
  again: '再次输入新密码',
  keepAccess: '保持其他位置的登录状态，并保留应用的访问权限',
  keepAccessHint:
    '如果其他人可能知道您的当前密码，请不要勾选：这样您将在其他所有位置退出登录，所有应用也将失去访问权限。',
  submit: '更改密码',
  yours: '您的密码',
  notNeeded: (providers) => `您在此处不需要密码：您通过 ${providers} 登录。如果需要密码，请联系管理员。`,
  differ: '两次输入的新密码不一致。未作任何更改。',
  wrong: '当前密码不正确。未作任何更改。',
  unacceptable: () => '此新密码不符合要求。请选择其他密码。',
  show: '显示',
  hide: '隐藏',
  faults: {
    too_short: (least) => `密码至少要有 ${least} 个字符。`,
    too_long: '密码太长。',
    too_common: '这是最常见的密码之一，最先被猜到。请换一个。',
    like_name: '密码不能是您的用户名或邮箱地址。',
    taken: '此用户名已被使用。请换一个。',
    an_address: '用户名不能是他人的邮箱地址。',
    a_link: '用户名不能包含 / 或 :，也不能以 www. 开头。',
    invalid: '此用户名不可用：必须是 1 到 200 个可见字符，不含空格，且不以 client_ 开头。',
  },
} satisfies Texts
