import { promisify } from "node:util";
import { expect, it } from "vitest";
import { InnerAddressError, isInnerAddress, lookUpOutside, refuseInnerHost } from "./inner-addresses.js";

it.each([
  "http://127.0.0.1/",
  "http://127.1/",
  "http://2130706433/",
  "http://0x7f.0.0.1/",
  "http://0/",
  "http://10.1.2.3/",
  "http://100.64.0.1/",
  "http://169.254.169.254/latest/meta-data",
  "http://172.31.255.255/",
  "http://192.168.0.1:8080/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://[::1]/",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:10.0.0.1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[fe80::1]/",
  "http://[fd00::1]/",
  "http://168.63.129.16/machine?comp=goalstate",
  "http://192.88.99.1/",
  "http://[::ffff:0:127.0.0.1]/",
  "http://[::ffff:0:a9fe:a9fe]/",
  "http://[3fff:fff::1]/",
  "http://[5f00::1]/",
])("[ALERT-6] %s is an inner address, however it is written", (url) => {
  expect(() => refuseInnerHost(new URL(url))).toThrow(InnerAddressError);
});

it.each(["1.1.1.1", "172.32.0.1", "100.128.0.1", "168.63.129.17", "2606:4700:4700::1111", "4000::1"])(
  "[ALERT-6] %s is not",
  (address) => {
    expect(isInnerAddress(address)).toBe(false);
  },
);

it("[ALERT-6] a name that leads inside is found out when it is looked up, so that no later answer counts", async () => {
  const lookUp = promisify(lookUpOutside);
  await expect(lookUp("localhost", {})).rejects.toThrow(InnerAddressError);
  await expect(lookUp("localhost", { all: true })).rejects.toThrow(InnerAddressError);
  await expect(lookUp("name.invalid", {})).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/);
});
