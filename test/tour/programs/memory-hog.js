const kept = [];
for (let index = 0; ; index++) kept.push({ index, text: `number ${index}`, list: [index, index + 1] });
